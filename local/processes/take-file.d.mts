export function takeFile(file: string): boolean;
