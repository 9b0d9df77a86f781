import { isIPv4 } from 'node:net';
import { sendRequest } from '../shared/http-request.js';

const timeoutMs = 5_000;
const tokenHeader = 'x-aws-ec2-metadata-token';

/**
 * The public address of this machine, from its metadata service (IMDSv2). A machine may have
 * another one after a stop and start.
 *
 * @throws the service does not answer, or the machine has no public address
 */
export async function publicAddress(metadataUrl: string, signal: AbortSignal): Promise<string> {
  const limits = { maxBytes: 1_024, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) };
  const token = await sendRequest({
    ...{ url: `${metadataUrl}/latest/api/token`, method: 'PUT', ...limits },
    headers: { [`${tokenHeader}-ttl-seconds`]: '60' },
  });
  const answer = await sendRequest({
    ...{ url: `${metadataUrl}/latest/meta-data/public-ipv4`, ...limits },
    headers: { [tokenHeader]: token.text() },
  });
  const address = answer.isOk ? answer.text().trim() : '';
  if (!isIPv4(address)) throw new Error('The machine has no public IPv4 address');
  return address;
}
