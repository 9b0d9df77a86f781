// Stands for parts of the Docker client that the agent has no use for (SSH, BuildKit's own protocol): it speaks to the
// engine on its own machine, and images are built by other means.
module.exports = {};
