/** Says what Docker answered, for people. */
export class DockerFailed extends Error {
  override readonly name = 'DockerFailed';
}
