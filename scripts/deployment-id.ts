/**
 * The `deploymentId` of `--context deploymentId=…` on the command line, as the CDK app reads it.
 */
export function deploymentIdFrom(args: readonly string[]): string {
  const prefix = 'deploymentId=';
  const found = args.map((arg) => arg.replace(/^--context=|^-c=?/, '')).find((arg) => arg.startsWith(prefix));
  return found?.slice(prefix.length) || 'berth';
}
