// Loaded into the agent of a node before its own code: the node's clock is up to 45 seconds off, by
// another amount after each start. A token of the control plane is valid at once for 60 seconds.
const maxSkewMs = 45_000;
const skewMs = Math.round((Math.random() * 2 - 1) * maxSkewMs);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(RealDate.now() + skewMs);
  }

  static now() {
    return RealDate.now() + skewMs;
  }
};
