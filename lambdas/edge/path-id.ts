import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Ulid } from '../../protocol/ids.js';
import { MalformedRequest, parsePart } from './parse-request.js';

/** The id in the path, for the wrappers that need it before the whole request is parsed. */
export function pathId(event: APIGatewayProxyEventV2, name: string): string {
  const id = event.pathParameters?.[name];
  const { failures } = parsePart('path', Ulid, id);
  if (id === undefined || failures.length > 0) {
    throw new MalformedRequest('The request is invalid', [{ field: `path.${name}`, message: 'Not an id' }]);
  }
  return id;
}
