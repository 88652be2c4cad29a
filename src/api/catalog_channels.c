/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_channels.c: the families of channels that model/channel.h can name.
 */
#include "api/catalog.h"

/* clang-format off */
const hk_channel_info hki_channel_infos[] = {
    {"body.NAME.position.{x,y,z}",             "m",       "origin of the body's frame, world axes"},
    {"body.NAME.orientation.{w,x,y,z}",        "",        "unit quaternion that turns the body's axes into the world's"},
    {"body.NAME.velocity.{x,y,z}",             "m/s",     "velocity of the frame's origin, world axes"},
    {"body.NAME.angular_velocity.{x,y,z}",     "rad/s",   "angular velocity, world axes"},
    {"body.NAME.com_position.{x,y,z}",         "m",       "centre of mass, world axes"},
    {"body.NAME.com_velocity.{x,y,z}",         "m/s",     "velocity of the centre of mass, world axes"},
    {"body.NAME.acceleration.{x,y,z}",         "m/s^2",   "acceleration of the frame's origin, world axes"},
    {"body.NAME.angular_acceleration.{x,y,z}", "rad/s^2", "angular acceleration, world axes"},
    {"body.NAME.com_acceleration.{x,y,z}",     "m/s^2",   "acceleration of the centre of mass, world axes"},
    {"marker.NAME.position.{x,y,z}",           "m",       "position of a marker, world axes"},
    {"marker.NAME.velocity.{x,y,z}",           "m/s",     "velocity of a marker, world axes"},
    {"joint.NAME.COORDINATE",                  "rad or m", "a joint's coordinate (angle, position, angles.a ...); see 'hooke list joints'"},
    {"joint.NAME.RATE",                        "rad/s or m/s", "rate of a coordinate (rate, velocity, rates.a ...)"},
    {"joint.NAME.orientation.{w,x,y,z}",       "",        "spherical and free joints: quaternion of the second body relative to the first"},
    {"joint.NAME.angular_velocity.{x,y,z}",    "rad/s",   "spherical and free joints: relative angular velocity, axes of the first marker"},
    {"joint.NAME.force.{x,y,z}",               "N",       "reaction on the second body at the joint, world axes"},
    {"joint.NAME.torque.{x,y,z}",              "N*m",     "reaction moment on the second body at the joint, world axes"},
    {"joint.NAME.drive",                       "N*m or N", "torque or force of a prescribed motion"},
    {"force.NAME.OUTPUT",                      "",        "an output of a force (length, force ...); see 'hooke info' of its type"},
    {"signal.NAME",                            "",        "value of a signal"},
    {"energy.{kinetic,potential,total}",       "J",       "energies; potential: gravity, springs, tyres"},
    {"energy.{supplied,dissipated}",           "J",       "work put in by forces, motors and motions; energy taken out by dampers, friction, events"},
    {"energy.balance_error",                   "J",       "total - initial - supplied + dissipated: zero for an exact solution"},
    {"solver.iterations",                      "",        "iterations of the last step"},
    {"solver.step",                            "s",       "size of the last step"},
    {"solver.rejected",                        "",        "rejected steps so far"},
    {"constraint.position",                    "m or rad", "largest constraint row"},
    {"constraint.velocity",                    "m/s or rad/s", "largest rate of a constraint row"},
    {"constraint.acceleration",                "m/s^2 or rad/s^2", "largest second rate of a constraint row"},
};
/* clang-format on */

int32_t hki_channel_info_count(void) { return HK_ARRAY_LEN(hki_channel_infos); }
