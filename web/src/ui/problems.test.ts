import { expect, it } from 'vitest';
import { ApiError } from '../../../client/api-error.js';
import { hasDetails, problemOf, problemsElsewhere } from './problems.js';

const error = new ApiError(new Response(null, { status: 400 }), {
  error: 'BAD_REQUEST',
  message: 'The request is invalid',
  details: [
    { field: 'body.name', message: 'Too long' },
    { field: 'body.environment.LD_PRELOAD', message: 'Not allowed' },
    { field: 'body.nameless', message: 'Unknown' },
  ],
});

it('gives a control what is said of its field', () => {
  expect(problemOf(error, 'name')).toBe('Too long');
  expect(problemOf(error, 'model')).toBeUndefined();
});

it('gives a control what is said of a part of its field, with the part', () => {
  expect(problemOf(error, 'environment')).toBe('LD_PRELOAD: Not allowed');
});

it('leaves to the form what no control shows', () => {
  expect(problemsElsewhere(error, ['name', 'environment'])).toEqual(['nameless: Unknown']);
  expect(problemsElsewhere(new Error('other'), ['name'])).toEqual([]);
});

it('knows an error that names fields', () => {
  expect(hasDetails(error)).toBe(true);
  expect(hasDetails(new TypeError('network'))).toBe(false);
});
