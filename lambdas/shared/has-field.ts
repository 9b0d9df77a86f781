import type * as z from 'zod/mini';

/** Whether objects of this schema can have the field. */
export function hasField(schema: z.core.$ZodType, name: string): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return name in def.shape;
    case 'union':
      return def.options.some((option) => hasField(option, name));
    case 'pipe':
      return hasField(def.in, name);
    case 'optional':
    case 'nullable':
    case 'default':
      return hasField(def.innerType, name);
    default:
      return false;
  }
}
