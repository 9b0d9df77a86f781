/** One clear line about what is wrong with the environment. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
