import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { z } from 'zod/mini';
import { Ulid } from '../../protocol/ids.js';
import {
  type DomainError,
  type FieldError,
  InvalidRequest,
  tooLarge,
  unsupportedMedia,
} from '../shared/errors.js';
import { hasField } from '../shared/has-field.js';
import type { Contract } from './contract.js';
import { findUnstorable } from './unstorable.js';

const usualMaxBodyBytes = 256 * 1024;

/** Its details already name the part of the request that each field is in. */
export class MalformedRequest extends InvalidRequest {}

interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Reads path, query and body by the contract; all failing fields are reported at once.
 *
 * @throws {MalformedRequest} or the errors `tooLarge` and `unsupportedMedia`
 */
export function parseRequest(contract: Contract, event: APIGatewayProxyEventV2): ParsedRequest {
  const parts = [
    parsePart('path', contract.params, event.pathParameters ?? {}),
    parsePart('query', contract.query, readQuery(event.rawQueryString)),
    parsePart('body', contract.body, readBody(contract, event)),
  ] as const;
  const failures = parts.flatMap(({ failures }) => failures);
  if (failures.length > 0) throw new MalformedRequest('The request is invalid', failures);

  const [params, query, body] = parts;
  return { params: params.value, query: query.value, body: body.value };
}

/** Checks one part; a failing field is named `part.field`. */
function parsePart(
  part: 'path' | 'query' | 'body',
  schema: z.ZodMiniType,
  input: unknown,
): { readonly value: unknown; readonly failures: readonly FieldError[] } {
  const result = schema.safeParse(input);
  if (result.success) return { value: result.data, failures: [] };
  return { value: undefined, failures: result.error.issues.flatMap((issue) => fieldErrors(part, issue)) };
}

/** The fields that an issue names, below `part`. */
export function fieldErrors(part: string, issue: z.core.$ZodIssue): FieldError[] {
  const at = [part, ...issue.path.map(String)];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...at, key].join('.'), message: 'Unknown field' }));
  }
  return [{ field: at.join('.'), message: issue.message }];
}

function readQuery(rawQueryString: string | undefined): Record<string, string> {
  const entries = [...new URLSearchParams(rawQueryString ?? '')];
  const repeated = entries.find(([name], index) => entries.findIndex(([other]) => other === name) < index);
  if (repeated) {
    throw new MalformedRequest('The request is invalid', [
      { field: `query.${repeated[0]}`, message: 'Given more than once' },
    ]);
  }
  return Object.fromEntries(entries);
}

function readBody(contract: Contract, event: APIGatewayProxyEventV2): unknown {
  const bytes = bodyBytes(event, contract.maxBodyBytes);
  if (bytes.length === 0) return withoutBody(contract, event);

  const type = event.headers['content-type'] ?? '';
  const mediaType = type.split(';')[0]?.trim().toLowerCase();
  const bodyType = contract.bodyTypes.find((allowed) => allowed === mediaType);
  if (!bodyType) throw unsupportedMedia(`The body must be ${contract.bodyTypes.join(' or ')}`);
  if (bodyType === 'multipart/form-data') return { contentType: type, content: bytes };
  const text = bytes.toString('utf8');
  return bodyType === 'application/json' ? parseJson(text) : Object.fromEntries(new URLSearchParams(text));
}

/** A PUT replaces all that is stored: a lost body must not erase it. */
function withoutBody({ takesBody }: Contract, { requestContext }: APIGatewayProxyEventV2): object {
  if (!takesBody || requestContext.http.method !== 'PUT') return {};
  throw new MalformedRequest('The request has no body', [
    { field: 'body', message: 'Send the new values: PUT replaces the stored ones' },
  ]);
}

/** @throws {TooLarge} */
export const bodyText = (event: APIGatewayProxyEventV2): string => bodyBytes(event).toString('utf8');

/** @throws {TooLarge} */
export function bodyBytes(
  { body = '', isBase64Encoded }: APIGatewayProxyEventV2,
  maxBytes = usualMaxBodyBytes,
): Buffer {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBytes) throw tooLarge(`The body may have at most ${maxBytes / 1_024} KiB`);
  return bytes;
}

function parseJson(text: string): unknown {
  const body = readJson(text);
  const problem = findUnstorable('body', body);
  if (problem) throw new MalformedRequest('The request is invalid', [problem]);
  return body;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedRequest('The body is not JSON', [{ field: 'body', message: 'Malformed JSON' }]);
  }
}

/** The id in the path, for the wrappers that need it before the whole request is parsed. */
export function pathId(
  event: APIGatewayProxyEventV2,
  name: string,
  schema: z.ZodMiniType<string> = Ulid,
): string {
  const id = event.pathParameters?.[name];
  const { failures } = parsePart('path', schema, id);
  if (id === undefined || failures.length > 0) {
    throw new MalformedRequest('The request is invalid', [{ field: `path.${name}`, message: 'Not an id' }]);
  }
  return id;
}

const parts = { body: 'body', query: 'query', path: 'params' } as const;

/** Error details; each field is prefixed with its part of the request: `body.branch`. */
export function fieldsInRequest(contract: Contract, error: DomainError): readonly FieldError[] {
  const details = error.details ?? [];
  if (error instanceof MalformedRequest) return details;
  return details.map(({ field, ...detail }) => ({ field: located(contract, field), ...detail }));
}

function located(contract: Contract, field: string): string {
  const [name = ''] = field.split('.');
  const part = Object.entries(parts).find(([, key]) => hasField(contract[key], name));
  return part ? `${part[0]}.${field}` : field;
}
