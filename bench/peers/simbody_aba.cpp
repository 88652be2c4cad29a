// SPDX-License-Identifier: Apache-2.0
/* simbody_aba.cpp: accelerations of a tree by Simbody (models.py describes the trees).
 *
 *   simbody_aba ROUNDS < "parent x y z mass cx cy cz Ixx Iyy Izz angle rate axis", a line for each link; axis: x, y, z or free
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
  double x, y, z, mass, p, r, s, a, b, c, angle, rate;
  int above;
  std::string axis;
  std::vector<double> q, u;
  std::vector<MobilizedBody> bodies;
  std::vector<int> hinges;
  while (std::cin >> above >> x >> y >> z >> mass >> p >> r >> s >> a >> b >> c >> angle >> rate >> axis) {
    const Vec3 com(p, r, s);
    const Body::Rigid body(MassProperties(mass, com, Inertia(a, b, c).shiftFromMassCenter(com, mass)));
    MobilizedBody parent = above < 0 ? MobilizedBody(matter.Ground()) : bodies[above];
    if (axis == "free") {
      bodies.push_back(MobilizedBody::Free(parent, Transform(Vec3(x, y, z)), body, Transform(Vec3(0))));
      continue;
    }
    // pins turn about z of their frames
    const Rotation turned = axis == "x" ? Rotation(Pi / 2, YAxis) : axis == "y" ? Rotation(-Pi / 2, XAxis) : Rotation();
    hinges.push_back(int(bodies.size()));
    bodies.push_back(MobilizedBody::Pin(parent, Transform(turned, Vec3(x, y, z)), body, Transform(turned, Vec3(0))));
    q.push_back(angle), u.push_back(rate);
  }
  system.realizeTopology();
  State state = system.getDefaultState();
  system.realizeModel(state);
  const int n = int(q.size()), rounds = argc > 1 ? std::stoi(argv[1]) : 5, turns = 200;
  for (int i = 0; i < n; i++) bodies[hinges[i]].setOneQ(state, 0, q[i]), bodies[hinges[i]].setOneU(state, 0, u[i]);
  double best = 1e9;
  for (int r = 0; r < rounds; r++) {
    const double start = cpu();
    for (int i = 0; i < turns; i++) {
      state.updQ()[state.getNQ() - 1] += 1e-13; // so that nothing can be used again
      system.realize(state, Stage::Acceleration);
    }
    best = std::min(best, (cpu() - start) / turns);
  }
  std::cout.precision(17);
  std::cout << 1e6 * best;
  for (int i = 0; i < n; i++) std::cout << ' ' << bodies[hinges[i]].getOneUDot(state, 0);
  std::cout << std::endl;
}
