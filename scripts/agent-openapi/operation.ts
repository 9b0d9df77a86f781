import { STATUS_CODES } from 'node:http';
import type { ZodMiniType } from 'zod/mini';
import * as z from 'zod/mini';
import type { AgentContract, ResponseShape } from '../../agent/api/contract.js';
import type { AgentRow } from '../../agent/api/contracts.js';
import { pathParameters as parameters } from '../../agent/api/parameters.js';
import { tokenRules } from '../../agent/api/token-kinds.js';
import { type JsonSchema, jsonSchema } from '../../lambdas/edge/openapi/json-schema.js';
import { errorCodesOf } from './error-codes.js';

export type AgentOperation = ReturnType<typeof operation>;

const { port: _coerced, ...ids } = parameters;
const parameterSchemas: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(Object.entries(ids).map(([name, schema]) => [name, jsonSchema(schema, 'input')])),
  port: jsonSchema(z.int().check(z.gte(1), z.lte(65_535)), 'input'),
};

/** The OpenAPI operation of one row. `suffix` distinguishes the methods of an `any` route. */
export function operation({ area, name, contract }: AgentRow, suffix: string) {
  const { token, summary, description, query } = contract;
  return {
    operationId: suffix === '' ? name : `${name}By${suffix.charAt(0).toUpperCase()}${suffix.slice(1)}`,
    tags: [area],
    summary,
    ...(description === undefined ? {} : { description }),
    security: tokenRules[token].schemes.map((scheme) => ({ [scheme]: [] })),
    parameters: [...pathParameters(contract.path), ...(query ? queryParameters(query) : [])],
    ...(hasNoBody(contract, suffix) ? {} : { requestBody: requestBody(contract.body) }),
    responses: responsesOf(contract),
  };
}

function hasNoBody({ body }: AgentContract, suffix: string): boolean {
  return body === undefined || ['get', 'delete', 'options'].includes(suffix);
}

function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: parameterSchemas[name] ?? { type: 'string' },
  }));
}

function queryParameters(query: z.ZodMiniType) {
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function requestBody(body: AgentContract['body']) {
  if (typeof body === 'string') return { required: true, content: { [body]: { schema: {} } } };
  const schema = body ? jsonSchema(body, 'input') : {};
  const required = (schema.required ?? []).length > 0;
  return { required, content: { 'application/json': { schema } } };
}

function responsesOf(contract: AgentContract) {
  const answers = Object.entries(contract.responses).map(([status, shape]) => [
    status,
    answer(Number(status), shape),
  ]);
  // The HTTP parser refuses a request line with header fields above 16 KiB, on any path.
  const refusals = new Map([...errorCodesOf(contract), [431, ['invalid_request']] as const]);
  const failures = [...refusals].map(([status, codes]) => [
    String(status),
    {
      description: codes.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  return Object.fromEntries([...failures, ...answers]);
}

function answer(status: number, shape: ResponseShape) {
  const description = STATUS_CODES[status] ?? String(status);
  if (shape === null) return { description };
  if (isJson(shape))
    return { description, content: { 'application/json': { schema: jsonSchema(shape, 'output') } } };
  const types = [shape].flat();
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) };
}

/** Whether a response is JSON with this schema, and not a stream or empty. */
export function isJson(shape: ResponseShape): shape is ZodMiniType {
  return shape !== null && typeof shape === 'object' && 'safeParse' in shape;
}
