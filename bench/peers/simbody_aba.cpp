// SPDX-License-Identifier: Apache-2.0
/* simbody_aba.cpp: accelerations of a chain by Simbody (models.py describes the chain).
 *
 *   simbody_aba ROUNDS < "length mass Ixx Iyy Izz angle rate axis", a line for each link; axis: y or z
 *
 * Prints microseconds of an acceleration, the smallest mean of ROUNDS times 200, and the accelerations. */
#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include <simbody/SimTKsimbody.h>

using namespace SimTK;

static double cpu() { return double(std::clock()) / CLOCKS_PER_SEC; }

int main(int argc, char **argv) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity gravity(forces, matter, Vec3(0, 0, -9.81));
  double length, mass, a, b, c, angle, rate, before = 0;
  std::string axis;
  std::vector<double> q, u;
  MobilizedBody parent = matter.Ground();
  while (std::cin >> length >> mass >> a >> b >> c >> angle >> rate >> axis) {
    // pins turn about z of their frames
    const Rotation turned = axis == "y" ? Rotation(-Pi / 2, XAxis) : Rotation();
    const Vec3 com(length / 2, 0, 0);
    const Body::Rigid body(MassProperties(mass, com, Inertia(a, b, c).shiftFromMassCenter(com, mass)));
    parent = MobilizedBody::Pin(parent, Transform(turned, Vec3(before, 0, 0)), body, Transform(turned, Vec3(0)));
    before = length;
    q.push_back(angle), u.push_back(rate);
  }
  system.realizeTopology();
  State state = system.getDefaultState();
  const int n = int(q.size()), rounds = argc > 1 ? std::stoi(argv[1]) : 5, turns = 200;
  for (int i = 0; i < n; i++) state.updQ()[i] = q[i], state.updU()[i] = u[i];
  double best = 1e9;
  for (int r = 0; r < rounds; r++) {
    const double start = cpu();
    for (int i = 0; i < turns; i++) {
      state.updQ()[n - 1] += 1e-13; // so that nothing can be used again
      system.realize(state, Stage::Acceleration);
    }
    best = std::min(best, (cpu() - start) / turns);
  }
  std::cout.precision(17);
  std::cout << 1e6 * best;
  for (int i = 0; i < n; i++) std::cout << ' ' << state.getUDot()[i];
  std::cout << std::endl;
}
