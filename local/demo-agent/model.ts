/** OpenCode starts with a model of this form without a key. There is no such model. */
export const demoModel = 'demo/script';
