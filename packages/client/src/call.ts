/** Typed calls of single operations, for what no method of an owner or a link does. */
export { pathOf, plainAddressOf, type ServerAddress } from './http/baseUrl.ts'
export { type Call, type CallAnswer, type CallOptions, type CallRequest, type Calls, createCalls } from './http/call.ts'
export { requireOwnName, serverIdOf } from './http/ownAddress.ts'
export { callProved } from './http/proof.ts'
