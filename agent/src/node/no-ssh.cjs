// Stands for an SSH client that the agent has no use for: it speaks to the engine on its own machine.
module.exports = {};
