// Stands for parts of other packages that the agent has no use for. Of the Docker client SSH and BuildKit's own protocol: it
// speaks to the engine on its own machine, and images are built by other means. Of Fastify its schemas, its log, its plugins
// and its requests for tests.
module.exports = {};
