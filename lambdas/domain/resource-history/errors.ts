import { Conflict, Forbidden, InvalidRequest, NotFound } from '../../shared/errors.js';

/** `field` is a field of the upload. The message never repeats a value of the chunk. */
export const chunkInvalid = (field: string, message: string) =>
  new InvalidRequest('The chunk is invalid', [{ field, message }]);

/** The upload names another node, session or task than the records of the workspace. */
export const chunkNotOwn = (field: string) =>
  new Forbidden(`The workspace has no such ${field.replace(/Id$/, '')}.`, {
    details: [{ field, message: 'Does not belong to the workspace' }],
  });

export const chunkDiffers = () =>
  new Conflict('A chunk with this sequence and another SHA-256 is stored. Use the next sequence.', {
    code: 'CHUNK_CONFLICT',
  });

export const chunkNotFound = () => new NotFound('Chunk of resource history');
