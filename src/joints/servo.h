/* SPDX-License-Identifier: Apache-2.0
 *
 * servo.h: the table of servos, items of the model's section `servo`. It is not in the table of joints:
 * a servo is a coupling whose force acts elsewhere (servo.c).
 */
#ifndef HK_JOINTS_SERVO_H
#define HK_JOINTS_SERVO_H

#include "joints/joint.h"

extern const hk_joint_ops hki_joint_servo;

#endif
