import { extname } from 'node:path';

type MediaType = `${string}/${string}`;

const text = 'text/plain; charset=utf-8';
const binary = 'application/octet-stream';
const types: Readonly<Record<string, MediaType>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  ogv: 'video/ogg',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  ttf: 'font/ttf',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xml: 'application/xml',
  zip: 'application/zip',
};
const sources = [
  'c',
  'cc',
  'cpp',
  'css',
  'go',
  'h',
  'java',
  'js',
  'jsx',
  'log',
  'md',
  'mjs',
  'py',
  'rb',
  'rs',
  'sh',
  'toml',
  'ts',
];
const plain = new Set([...sources, 'tsx', 'txt', 'yaml', 'yml']);

/** Every result of `mediaType`. */
export const mediaTypes: readonly MediaType[] = [
  ...new Set<MediaType>([...Object.values(types), text, binary]),
].sort();

/**
 * The media type by file name; `nosniff` keeps browsers from guessing. Scripts and style sheets are
 * sent as text, so that no page or service worker can load them from this origin.
 */
export function mediaType(name: string): MediaType {
  const extension = extname(name).slice(1).toLowerCase();
  return types[extension] ?? (plain.has(extension) ? text : binary);
}
