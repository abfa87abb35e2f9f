import { ProblemError } from '../http/errors.ts'

/** The server knows another password. Nothing was changed; a try like this counts as a failed sign-in. */
export class PasswordWrong extends Error {
  override readonly name = 'PasswordWrong'

  constructor(options?: ErrorOptions) {
    super('The present password is wrong. Nothing was changed.', options)
  }
}

/** Makes a request that proves the present password once more; throws `PasswordWrong` when it proves nothing. */
export async function withPassword<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    const isWrong = error instanceof ProblemError && error.code === 'error.auth.invalid_credentials'
    throw isWrong ? new PasswordWrong({ cause: error }) : error
  }
}
