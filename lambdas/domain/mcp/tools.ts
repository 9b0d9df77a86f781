import type { Tool } from './tool.js';
import { getInstructions } from './tools/get-instructions.js';

/** Every tool there is. A new one is its file and its line here. */
export const tools: readonly Tool[] = [getInstructions];
