import { expect, it } from 'vitest';
import { QueryRequest } from './query-request.js';

it('reads lists in the order of their numbers, which need not be dense', () => {
  const request = QueryRequest.parse(
    'Action=X&InstanceId.10=c&InstanceId.2=b&InstanceId.1=a&InstanceIdx.1=no',
  );

  expect(request.action).toBe('X');
  expect(request.list('InstanceId')).toEqual(['a', 'b', 'c']);
});

it('reads the tags meant for instances alone', () => {
  const tags = (index: number, type: string, value: string) =>
    `TagSpecification.${index}.ResourceType=${type}&TagSpecification.${index}.Tag.1.Key=k&TagSpecification.${index}.Tag.1.Value=${value}`;

  const request = QueryRequest.parse(`${tags(1, 'volume', 'v')}&${tags(2, 'instance', 'i')}`);

  expect(request.instanceTags()).toEqual({ k: 'i' });
});

it('reads filters with all of their values', () => {
  const request = QueryRequest.parse('Filter.1.Name=tag%3Ax&Filter.1.Value.1=a&Filter.1.Value.2=b');

  expect(request.filters()).toEqual([{ name: 'tag:x', values: ['a', 'b'] }]);
});
