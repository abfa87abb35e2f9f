/** For a test that opens the data of a server. */
export const USE = {
  version: '0.0.0',
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  onBroken(error: Error): never {
    throw error
  },
}

/** The settings of a command whose `config` the test makes. */
export const GIVEN = { environment: {}, origins: {}, file: undefined }
