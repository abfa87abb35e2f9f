/**
 * Node's test runner asks for a callback for each promise, to know which test an error belongs to that no code caught.
 * That takes a fifth of the time of our tests. After this module such an error still fails the run; only a lost
 * rejection is reported beside the tests instead of in one. Must be loaded before `node:test`.
 */
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
