import { countText } from '@blindkeep/protocol/counts'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { Message } from '../../ports/messenger.ts'

export interface MessageText {
  readonly title: string
  readonly body: string
}

/** What a person reads. `host` names the server; there is no address to click on, as an honest message needs none. */
export function textOf(message: Message, host: string): MessageText {
  switch (message.about) {
    case 'landings': {
      const { count, lastAt } = message
      const arrived = `${countText(count, 'file has', 'files have')} arrived`
      const when = `${formatInstant(lastAt).slice(0, 16).replace('T', ' ')} UTC`
      return {
        title: arrived,
        body: `${arrived} in your inbox on ${host}${count === 1 ? '' : ', the last one'} at ${when}.`,
      }
    }
    case 'test':
      return {
        title: 'Test',
        body: `This is a test from ${host}. Messages like this one will say that files have arrived.`,
      }
    case 'code':
      return {
        title: `Code ${message.code}`,
        body: `The code for this address is ${message.code}. Enter it under Account on ${host}, and messages here will say that files have arrived.\n\nIf you did not ask for this, ignore it. No further message is sent.`,
      }
  }
}
