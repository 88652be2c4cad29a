# SPDX-License-Identifier: Apache-2.0
"""Environments: gymnasium's own checks, seeds, actions that act; where gymnasium is missing the import says so."""
import subprocess
import sys
import warnings

import numpy as np
import pytest

try:
    import gymnasium
except ImportError:
    gymnasium = None

needed = pytest.mark.skipif(gymnasium is None, reason="gymnasium is not installed (pip install gymnasium): the environments are NOT tested here")


def test_without_gymnasium():
    code = "import sys; sys.modules['gymnasium'] = None\nimport hooke\ntry:\n    import hooke.gym\nexcept ImportError as error:\n    print(error)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "hooke.gym needs gymnasium: pip install hooke-dynamics[gym]\n"


def environments():
    import hooke.gym
    return {"Arm": hooke.gym.Arm, "Vehicle": hooke.gym.Vehicle}


@needed
@pytest.mark.parametrize("name", ["Arm", "Vehicle"])
def test_gymnasium_checks_it(name):
    from gymnasium.utils.env_checker import check_env
    environments()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # observations have no bounds
        check_env(gymnasium.make(f"hooke/{name}-v0").unwrapped)


def episode(env, policy, seed=3):
    seen, info = env.reset(seed=seed)
    total, rows = 0.0, [seen]
    while True:
        seen, reward, terminated, truncated, info = env.step(policy(seen))
        total += reward
        rows.append(seen)
        if terminated or truncated:
            return total, np.array(rows), terminated


@needed
@pytest.mark.parametrize("name", ["Arm", "Vehicle"])
def test_seeds_and_ends(name):
    env = environments()[name]()
    nothing = np.zeros(env.action_space.shape)
    one, a, failed = episode(env, lambda seen: nothing)
    again, b, _ = episode(env, lambda seen: nothing)
    other, c, _ = episode(env, lambda seen: nothing, seed=4)
    assert one == again and np.array_equal(a, b) and not np.array_equal(a, c) and not failed
    assert len(a) == round(env.time / env.period) + 1 and np.all(np.isfinite(a))
    with pytest.raises(ValueError, match="numbers as action"):
        env.step(np.zeros(7))


@needed
def test_the_arm_reaches_its_target():
    """a simple controller of the tip, with gravity on the joints, ends near the target; no action does not"""
    env = environments()["Arm"]()
    a, b = env.LENGTHS

    def policy(seen):
        s, c, rates, way = seen[:2], seen[2:4], seen[4:6], seen[8:10]
        two = np.arctan2(s[0], c[0]) + np.arctan2(s[1], c[1])
        jacobian = np.array([[-a * s[0] - b * np.sin(two), -b * np.sin(two)], [a * c[0] + b * np.cos(two), b * np.cos(two)]])
        weight = 9.81 * np.array([2.0 * a / 2 * c[0] + 1.2 * (a * c[0] + b / 2 * np.cos(two)), 1.2 * b / 2 * np.cos(two)])
        return (weight + jacobian.T @ (80 * way) - [3.0, 0.8] * rates) / [20.0, 8.0]

    _, rows, _ = episode(env, policy)
    _, idle, _ = episode(env, lambda seen: np.zeros(2))
    assert np.linalg.norm(rows[-1][8:10]) < 0.02 < np.linalg.norm(idle[-1][8:10])


@needed
def test_damping_the_body_earns_more():
    env = environments()["Vehicle"]()
    signs = np.array([[1, y / 0.7, -x] for x, y in env.WHEELS.values()])  # heave, roll and pitch at each wheel
    passive, rough, _ = episode(env, lambda seen: np.zeros(4))
    active, calm, _ = episode(env, lambda seen: -signs @ (seen[3:6] * [1.0, 0.5, 0.7]))
    assert np.abs(rough[:, 6]).max() > 0.1 and active > passive
    assert np.abs(calm[:, 3]).max() < np.abs(rough[:, 3]).max()


@needed
@pytest.mark.parametrize("name", ["Arm", "Vehicle"])
def test_an_episode_is_a_model(name):
    """its replay is the same motion; the page shows it"""
    env = environments()[name](render_mode="html", time=0.4)
    assert env.render() is None
    rng = np.random.default_rng(2)
    episode(env, lambda seen: rng.uniform(-1, 1, env.action_space.shape))
    replay = env.episode().run()
    channel = {"Arm": "joint.elbow.angle", "Vehicle": "joint.fl.position"}[name]
    assert replay[channel][-1] == pytest.approx(env.sim[channel], abs=2e-4) and abs(replay[channel] - replay[channel][0]).max() > 0.01
    assert "hooke-data" in env.render()
    with pytest.raises(ValueError, match="render_mode"):
        environments()[name](render_mode="human")


@needed
def test_a_simulation_that_fails(cart):
    import hooke
    import hooke.gym
    from conftest import CART
    model = hooke.parse(CART.replace("value: push", "value: push + sqrt(0.1 - t)"))
    env = hooke.gym.Environment(model, actions={"push": 1.0}, observations=["joint.pin.angle"])
    env.reset()
    for _ in range(10):
        seen, reward, terminated, truncated, info = env.step([0.0])
        if terminated:
            break
    assert terminated and "not a number at t = 0.1" in info["error"] and seen.shape == (1,)
    env.reset()
    assert not env.step([0.5])[2]
