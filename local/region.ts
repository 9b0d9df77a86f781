export const region = 'us-east-1';
