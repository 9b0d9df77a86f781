import type { DomainError, FieldError } from '../shared/errors.js';
import { hasField } from '../shared/has-field.js';
import type { Contract } from './contract.js';
import { MalformedRequest } from './parse-request.js';

const parts = { body: 'body', query: 'query', path: 'params' } as const;

/** The details of an error, each field named with the part of the request that it is in: `body.branch`. */
export function fieldsInRequest(contract: Contract, error: DomainError): readonly FieldError[] {
  const details = error.details ?? [];
  if (error instanceof MalformedRequest) return details;
  return details.map(({ field, message }) => ({ field: located(contract, field), message }));
}

function located(contract: Contract, field: string): string {
  const [name = ''] = field.split('.');
  const part = Object.entries(parts).find(([, key]) => hasField(contract[key], name));
  return part ? `${part[0]}.${field}` : field;
}
