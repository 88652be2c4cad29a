// SPDX-License-Identifier: Apache-2.0
/* simbody_bars.cpp: N four-bars in a row by Simbody, loops closed by two rows each, Runge-Kutta-Merson with projections.
 *
 *   simbody_bars N ACCURACY END [drift]
 *
 * Prints the CPU seconds of the run, the largest drift of energy (J; 0 without `drift`) and the angles of the cranks at the end. */
#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include <simbody/SimTKsimbody.h>

using namespace SimTK;

static double cpu() { return double(std::clock()) / CLOCKS_PER_SEC; }

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const int n = std::stoi(argv[1]);
  const double accuracy = std::stod(argv[2]), end = std::stod(argv[3]);
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity gravity(forces, matter, Vec3(0, -9.81, 0));
  const Vec3 up(0, 0.5, 0), along(0.5, 0, 0);
  const Body::Rigid upright(MassProperties(1, up, Inertia(1. / 12, 0.01, 1. / 12).shiftFromMassCenter(up, 1)));
  const Body::Rigid level(MassProperties(1, along, Inertia(0.01, 1. / 12, 1. / 12).shiftFromMassCenter(along, 1)));
  std::vector<MobilizedBody> cranks, rods;
  for (int i = 0; i <= n; i++) {
    cranks.push_back(MobilizedBody::Pin(matter.Ground(), Transform(Vec3(i, 0, 0)), upright, Transform(Vec3(0))));
    if (i < n) rods.push_back(MobilizedBody::Pin(cranks[i], Transform(Vec3(0, 1, 0)), level, Transform(Vec3(0))));
  }
  for (int i = 0; i < n; i++) {
    Constraint::PointInPlane(cranks[i + 1], UnitVec3(1, 0, 0), 0, rods[i], Vec3(1, 0, 0));
    Constraint::PointInPlane(cranks[i + 1], UnitVec3(0, 1, 0), 1, rods[i], Vec3(1, 0, 0));
  }
  system.realizeTopology();
  State state = system.getDefaultState();
  system.realizeModel(state);
  for (int i = 0; i <= n; i++) cranks[i].setOneU(state, 0, -1);
  for (int i = 0; i < n; i++) rods[i].setOneU(state, 0, 1);
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  const bool look = argc > 4;
  integrator.setReturnEveryInternalStep(look);
  integrator.initialize(state);
  const double start = system.calcEnergy(integrator.getState());
  double drift = 0;
  const double begun = cpu();
  while (integrator.getTime() < end) {
    integrator.stepTo(end);
    if (look) drift = std::max(drift, std::abs(system.calcEnergy(integrator.getState()) - start));
  }
  const double spent = cpu() - begun;
  std::cout.precision(17);
  std::cout << spent << ' ' << drift;
  for (const MobilizedBody &b : cranks) std::cout << ' ' << b.getOneQ(integrator.getState(), 0);
  std::cout << std::endl;
}
