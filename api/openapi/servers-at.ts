/** The `servers` of the OpenAPI document. */
export const serversAt = (url: string) => [{ url, description: 'This installation' }];
