/** The limit of a wait, by the factor that this run measured of its machine. */
export function limitMs(onQuietMachineMs: number): number {
  return Math.ceil(onQuietMachineMs * Number(process.env.BERTH_WAIT_FACTOR ?? 1));
}
