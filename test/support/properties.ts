import fc from 'fast-check';

// With PROPERTY_SEED a run repeats an earlier one, so that a failure comes from the change. Without it each run is random.
const seed = process.env.PROPERTY_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
