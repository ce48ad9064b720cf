/** Status codes of gRPC, as Temporal's server returns them. */
export const grpcStatus = { deadlineExceeded: 4, notFound: 5, permissionDenied: 7, unauthenticated: 16 } as const;
