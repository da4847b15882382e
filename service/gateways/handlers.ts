import { pollStorageGateway } from './poll.ts';
import { registrationHandlers } from './registration.ts';
import { reportTransfer } from './report.ts';
import { answerGatewayTask } from './requests.ts';

/** Storage gateways: contract/gateways.md §1 to §6. */
export const gatewayHandlers = { ...registrationHandlers, pollStorageGateway, reportTransfer, answerGatewayTask };
