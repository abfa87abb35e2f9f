/** A peer that only answers: Fastify, one route for all paths, one text. Prints its port. */
import fastify from 'fastify'

const [text = ''] = process.argv.slice(2)
const app = fastify()
app.get('/*', (_request, reply) => reply.type('application/json').send(text))
await app.listen({ host: '127.0.0.1', port: 0 })
const [address] = app.addresses()
if (typeof address === 'object') console.log(address.port)
