import { Console } from './console.js';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no place for the console');
await new Console(root).start();
