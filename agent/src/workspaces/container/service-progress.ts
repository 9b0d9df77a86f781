import type { ContainerInspectInfo } from 'dockerode';
import type { ServiceReady } from './service-plan.js';

type State = Pick<
  ContainerInspectInfo['State'],
  'Running' | 'Restarting' | 'ExitCode' | 'OOMKilled' | 'Health' | 'StartedAt'
>;

/** Whether services that start later wait for this one. */
export function isAwaited(state: State, ready: ServiceReady): boolean {
  if (state.Restarting) return true;
  if (!state.Running) return false;
  // A service without a health check counts as healthy.
  return ready === 'completed' || (ready === 'healthy' && (state.Health?.Status ?? 'healthy') !== 'healthy');
}

/** Why the service does not run; null when it runs, has done its work, or has never started. */
export function exitOf(state: State, ready: ServiceReady): string | null {
  const hasStarted = Date.parse(state.StartedAt) > 0;
  if (!hasStarted || (state.Running && !state.Restarting)) return null;
  if (state.ExitCode === 0 && ready === 'completed') return null;
  return state.OOMKilled
    ? 'it used all memory of its part of the workspace and was ended'
    : `it exited with code ${state.ExitCode}`;
}
