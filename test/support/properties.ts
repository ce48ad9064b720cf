import fc from 'fast-check';

// With PROPERTY_SEED a run repeats the one before, so that a change is judged by what it changed; without it each run draws anew.
const seed = process.env.PROPERTY_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
