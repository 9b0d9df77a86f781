/**
 * What AWS asks for in us-east-1, in US dollars: public list prices as of 2026-11, without what is
 * free each month and without discounts.
 */
export const prices = {
  /** DynamoDB on demand, a unit. */
  tableRead: 0.125e-6,
  tableWrite: 0.625e-6,
  /** Lambda on arm64. */
  invocation: 0.2e-6,
  gigabyteSecond: 13.3334e-6,
  /** API Gateway, and CloudFront before it: a request over HTTPS. */
  httpRequest: 1e-6,
  frontRequest: 1e-6,
  /**
   * API Gateway, 32 KB of a message of a socket in either direction, and a minute of its
   * connection.
   */
  socketMessage: 1e-6,
  socketMinute: 0.25e-6,
  /** SQS, a request about a FIFO queue. */
  queueRequest: 0.5e-6,
  /** Step Functions, standard. */
  stateTransition: 25e-6,
  /** KMS: by a key pair of another kind than RSA 2048, and by all others. */
  signature: 15e-6,
  keyRequest: 3e-6,
  /** S3, as if each wrote. */
  objectRequest: 5e-6,
  /** Secrets Manager. */
  secretRequest: 5e-6,
  /** CloudWatch Logs, and CloudFront to the internet: a gigabyte. */
  loggedGigabyte: 0.5,
  answeredGigabyte: 0.085,
} as const;
