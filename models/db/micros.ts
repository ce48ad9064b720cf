/** SQL: times as whole microseconds since 1970. PostgreSQL stores them so exactly; a JavaScript date has milliseconds only. */

export const microsOf = (time: string): string => `(extract(epoch FROM ${time}) * 1000000)::bigint`;

/** @param micros a parameter */
export const timeOfMicros = (micros: string): string => `timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
