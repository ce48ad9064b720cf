/**
 * A chunk of a body costs the process about as much as a kilobyte of it, however small it is (RFC 9112, section 7.1, sets no least size). So a client
 * could keep the process busy with little traffic.
 */

/** A client may write the largest batch with one chunk for each recipient, also if it is refused before: a reset would take the answer away. */
export const tinyChunksMax = 12_000;

/** How many chunks smaller than `bytes` may come, beyond those that larger ones make up for. */
export interface ChunkLimits {
  max: number;
  bytes: number;
}

/** Counts the chunks of one body. @returns a function that takes the length of each, and returns whether there are too many small ones */
export function countChunks({ max, bytes }: ChunkLimits): (length: number) => boolean {
  let left = max;
  return (length) => {
    left = Math.min(left + length / bytes - 1, max);
    return left < 0;
  };
}
