export const healthyForSeconds = 180;
export const staleForSeconds = 360;

export type NodeHealth = 'healthy' | 'stale' | 'unhealthy';

/** How a node is judged by the age of its last heartbeat; one that has not beaten yet is not trusted either. */
export function nodeHealth(lastHeartbeatAt: string | null, now: Date): NodeHealth {
  if (lastHeartbeatAt === null) return 'stale';
  const ageSeconds = (now.getTime() - Date.parse(lastHeartbeatAt)) / 1000;
  if (ageSeconds <= healthyForSeconds) return 'healthy';
  return ageSeconds <= staleForSeconds ? 'stale' : 'unhealthy';
}
