/** The guards of the contracts that deliveries reach, each as the code that it is and what is left without it. */
export interface Guard {
  /** Below contracts/src. */
  readonly file: string
  readonly name: string
  /** Stands in the file as often as it is replaced. */
  readonly code: string
  readonly without: string
}

const inReceiver = (name: string, code: string, without = ''): Guard => {
  return { file: 'DestinationReceiver.sol', name, code, without }
}
const inTokens = (name: string, code: string, without: string): Guard => {
  return { file: 'Tokens.sol', name, code, without }
}
const inCompose = (name: string, code: string, without = ''): Guard => {
  return { file: 'ComposeLanding.sol', name, code, without }
}
const inCctp = (name: string, code: string, without = ''): Guard => {
  return { file: 'CctpLanding.sol', name, code, without }
}

export const guards: readonly Guard[] = [
  inReceiver(
    'lock of `deliver`',
    'bytes calldata message) external payable nonReentrant {',
    'bytes calldata message) external payable {',
  ),
  inReceiver('lock of Across', ') external nonReentrant {', ') external {'),
  inReceiver('value of the call', 'if (value < amount) revert WrongValue(amount, value);'),
  inReceiver(
    'tokens are taken from the caller',
    'token == NATIVE ? address(this) : msg.sender, value',
    'address(this), value',
  ),
  inReceiver('self-call alone', 'if (msg.sender != address(this)) revert NotRunner(msg.sender);'),
  inReceiver(
    'deadline of the order',
    'if (block.timestamp > order.deadline) revert DeadlinePassed(order.deadline, block.timestamp);',
  ),
  inReceiver('inputs of the order are looked at', '_checkInputs(delivery, order);'),
  inReceiver('receiver of the order', '_checkReceiver(order.receiver, executor);'),
  inReceiver('refund receiver of the order', '_checkReceiver(order.refundReceiver, executor);'),
  inReceiver(
    'Executor per message',
    'executorImplementation, delivery.messageHash',
    'executorImplementation, bytes32(0)',
  ),
  inReceiver(
    'minimum of an output',
    'if (gained < minimum) revert InsufficientOutput(output, minimum, gained);',
  ),
  inReceiver(
    'payments of the order alone count',
    'if (paid.length != 0 && paid[i] < gained) gained = paid[i];',
  ),
  inReceiver(
    'a whole head of the message',
    'if (message.length < HEAD_LENGTH) revert MalformedMessage(message.length);',
  ),
  inReceiver('a fallback receiver is named', 'fallbackReceiver == address(0) || '),
  inReceiver('the fallback receiver is another', ' || fallbackReceiver == address(this)'),
  inReceiver(
    '`minimumValue`',
    'if (value < minimumValue) revert InsufficientValue(minimumValue, value);',
  ),
  inReceiver(
    '`minimumGas`',
    'left < RESERVE || left - RESERVE < minimumGas || left - left / 64 < minimumGas',
    'left < RESERVE',
  ),
  inReceiver('gas that is kept back', 'uint256 given = left - RESERVE;', 'uint256 given = left;'),
  inReceiver('512 bytes of a reason', 'if gt(size, REASON_LENGTH) {', 'if 0 {'),
  inReceiver(
    'decoded inside the self-call',
    'bytes memory data = abi.encodeCall',
    'abi.decode(message[HEAD_LENGTH:], (Order));\n        bytes memory data = abi.encodeCall',
  ),
  inTokens(
    'a payment of ether must succeed',
    'if (!ok) revert NativeTransferFailed(to, amount);',
    'ok;',
  ),
  inTokens(
    'a payment of a token must succeed',
    'if (token != NATIVE) return IERC20(token).safeTransfer(to, amount);',
    'if (token != NATIVE) {\n            (bool paid, ) = token.call(abi.encodeCall(IERC20.transfer, (to, amount)));\n            paid;\n            return;\n        }',
  ),
  inCompose(
    'sender is the endpoint',
    'if (msg.sender != endpoint) revert NotEndpoint(msg.sender);',
  ),
  inCompose('`from` is the pool', 'if (from != pool) revert NotPool(from);'),
  inCompose(
    'amount of the message, not the balance',
    'uint256(bytes32(message[AMOUNT_OFFSET:SENDER_OFFSET]));\n        bytes calldata delivered = message[MESSAGE_OFFSET:];\n        address token = IOmnichainToken(pool).token();',
    '0;\n        bytes calldata delivered = message[MESSAGE_OFFSET:];\n        address token = IOmnichainToken(pool).token();\n        amount = token == address(0) ? address(this).balance - msg.value : Tokens.balanceOf(token, address(this));',
  ),
  inCctp(
    'the recipient is the messenger',
    'if (recipient != bytes32(uint256(uint160(messenger)))) revert NotMessenger(recipient);',
  ),
  inCctp('the difference of the balance', ' - before;', ';'),
]
