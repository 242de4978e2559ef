// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

error DeadlinePassed(uint256 deadline, uint256 timestamp);
error WrongValue(uint256 expected, uint256 actual);
error FeeAboveInput(address token, uint256 fee, uint256 amount);
error InsufficientInput(address token, uint256 required, uint256 actual);
error InsufficientOutput(address token, uint256 minimum, uint256 actual);
error InvalidReceiver(address receiver);
error UnreadableBalance(address token);
error NativeTransferFailed(address to, uint256 amount);

error StepFailed(uint256 step, address target, bytes reason);
error NoCode(uint256 step, address target);
error ForeignTransferFrom(uint256 step, address from);
error MalformedSteps(uint256 step);
error PatchOutOfRange(uint256 step, uint256 offset, uint256 length);
error UnknownOutput(uint256 step, uint256 referredStep);
error MissingReturnData(uint256 step, uint256 word, uint256 length);
error BalanceDecreased(uint256 step, address token, uint256 before, uint256 afterwards);
error BpsOutOfRange(uint256 step, uint256 bps);
error CallbackNotSupported(uint256 step);
error ProgramNotRun(uint256 step);

/// @dev A callback, or any call without a function, that no running step waits for.
error UnexpectedCall(address caller);
/// @dev Only the contract that deployed the implementation may run it.
error NotRunner(address caller);
error NotOwner(address caller);
error NotDelegated();

/// @dev An account has no base line for a token that the order does not list.
error UnlistedToken(address token);
/// @dev The steps spent more of an account's tokens than the order's inputs.
error ReserveSpent(address token, uint256 reserve, uint256 balance);

error WrongDelivery(address token, uint256 amount);
error InsufficientGas(uint256 required, uint256 actual);
/// @dev Less ether came with a delivery than its message asks for.
error InsufficientValue(uint256 required, uint256 actual);
/// @dev Too short to name a fallback receiver.
error MalformedMessage(uint256 length);
/// @dev Only its endpoint composes at a landing.
error NotEndpoint(address caller);
/// @dev Only messages of its pool are composed at a landing.
error NotPool(address from);
/// @dev Only messages to its token messenger are received at a landing.
error NotMessenger(bytes32 recipient);

/// @dev The user has carried out an order with this tag before.
error TagUsed(address user, bytes16 tag);

error BelowMinimum(uint256 amount, uint256 minimum);
error NegativeDifference(uint256 a, uint256 b);

/// @dev The CallbackPayer makes no other call than `swap` of a V3-like pool.
error NotASwap(bytes4 selector);

error FeeAboveMaximum(address token, uint256 fee, uint256 maximum);
error LoanNotGiven(address lender);
error LoanNotRepaid(address token, uint256 owed, uint256 actual);

/// @dev A packed swap is not one: the position in the call data where it differs.
error MalformedSwap(uint256 position);
/// @dev An amount beyond 128 bits, or legs that do not add up to the input.
error AmountOutOfRange(uint256 amount);
/// @dev The pool takes another amount than it was given.
error PartialFill(uint256 amount, uint256 taken);
/// @dev The pool did not ask to be paid.
error CallbackNotUsed(address pool);

/// @dev Orders of makers.
error OrderExpired(uint256 expiry, uint256 timestamp);
error OrderCancelled(address maker, uint256 nonce);
error OrderFilled(bytes32 order);
error NotWholeOrder(uint256 amountIn, uint256 actual);
error NothingFilled();
error WrongSignature(address maker);
error MakerUnderpaid(uint256 amountIn, uint256 actual);
