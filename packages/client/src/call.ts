/** Typed calls of single operations, for what no method of an owner or a link does. */
export { addressOf, pathOf, plainAddressOf, type ServerAddress, serverUrlOf } from './http/baseUrl.ts'
export { type Call, type CallAnswer, type CallOptions, type CallRequest, type Calls, createCalls } from './http/call.ts'
export { requireOwnName, serverIdOf } from './http/ownAddress.ts'
export { callProved } from './http/proof.ts'
