import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';

/**
 * What the table charges an item by: names and values of its attributes, a unit of writing for each
 * 1,024 of them.
 */
export const itemBytes = (item: object): number =>
  namedBytes(marshall(item, { removeUndefinedValues: true }));

const namedBytes = (attributes: Record<string, AttributeValue>): number =>
  Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  // A map costs three, and one for each of its attributes.
  if (value.M) return 3 + Object.keys(value.M).length + namedBytes(value.M);
  if (value.BOOL !== undefined || value.NULL) return 1;
  throw new Error(`Not counted: ${JSON.stringify(value)}`);
}
