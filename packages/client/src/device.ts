/** The signing key pair of one device. The application keeps it; `Owner.addDevice` adds it to an account. */
export { type Device, newDevice, openDevice, openSealedDevice, sealDevice } from './account/device.ts'
