import type { Operation } from './operation.js';
import { sampleId } from './sample.js';

/** A call to copy, with every field that must be given. */
export function curlExample(method: string, path: string, operation: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name.endsWith('Id') ? sampleId : 'github',
  );
  const body = operation.requestBody?.content['application/json']?.example;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$BERTH_URL${address}"`,
    ...Object.keys(operation.security[0] ?? {}).map(credential),
    ...(body ? ["-H 'content-type: application/json'", `-d '${JSON.stringify(body)}'`] : []),
  ];
  return lines.join(' \\\n  ');
}

const credential = (scheme: string): string =>
  scheme === 'session' ? '-b "__Host-berth_session=$SESSION"' : '-H "authorization: Bearer $TOKEN"';
