import { seatsContract } from '../../ports/seats.contract.ts'
import { createLocalSeats } from './localSeats.ts'

seatsContract('seats in memory', (work) => () => work(createLocalSeats()))
