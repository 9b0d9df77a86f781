import { Console } from './console.js';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element for the console');
await new Console(root).start();
