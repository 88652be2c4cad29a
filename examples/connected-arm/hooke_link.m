% The other side of simulink.yaml in MATLAB (R2020b or later), without Simulink: a controller that holds the arm up.
%
%   hooke realtime simulink.yaml --period 1e-3
%
% The numbers are those of the blocks UDP Receive and UDP Send: doubles, little-endian, nothing around them.
state = udpport("datagram", "LocalHost", "127.0.0.1", "LocalPort", 5611);
torque = udpport("datagram");
goal = [0.8, -0.4];    % rad
kp = [60, 25];         % N m/rad
kd = [6, 2];           % N m s/rad
weight = [9.81 * (2 * 0.2 + 1 * 0.4), 9.81 * 1 * 0.15];
timer = tic;
while toc(timer) < 2
  if state.NumDatagramsAvailable == 0
    continue
  end
  frames = read(state, state.NumDatagramsAvailable, "uint8");
  x = typecast(uint8(frames(end).Data), "double");    % the latest: two angles, two rates
  angle = x(1:2);
  rate = x(3:4);
  arm = cos(angle(1) + angle(2));
  hold = [weight(1) * cos(angle(1)) + weight(2) * arm, weight(2) * arm];
  u = kp .* (goal - angle) - kd .* rate + hold;
  write(torque, typecast(u, "uint8"), "uint8", "127.0.0.1", 5612);
end
clear state torque
