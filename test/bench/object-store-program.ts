import { ObjectStore } from '../integration/snapshots/object-store.js';

/**
 * The object store of `capture.ts` in its own process, because no agent has the store's memory and
 * work. Sends the address of its objects, and ends with its parent.
 */
const store = await ObjectStore.start();
process.on('disconnect', () => process.exit(0));
process.send?.(store.url(''));
