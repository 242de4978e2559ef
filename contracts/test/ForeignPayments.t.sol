// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delegate} from "../src/Delegate.sol";
import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {InsufficientOutput} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {CallbackPayer} from "../src/helpers/CallbackPayer.sol";
import {Base, Steps} from "./Base.sol";
import {TaxedToken} from "./mocks/Tokens.sol";
import {Distributor, PooledVault, Relayer, ThievingPool} from "./mocks/Thieves.sol";
import {DelegatecallingAccount} from "./mocks/Venues.sol";

/// @dev Hostile code in the middle of a route takes the input and has somebody else pay the receiver.
contract ForeignPaymentsTest is Base {
    DestinationReceiver private destination = DestinationReceiver(deployShipped("DestinationReceiver"));
    ThievingPool private thief = new ThievingPool();
    PooledVault private vault = new PooledVault(usdc);
    Distributor private distributor = new Distributor(usdc);
    Relayer private relayer = new Relayer();
    DelegatecallingAccount private safe = new DelegatecallingAccount();

    function setUp() public override {
        super.setUp();
        usdc.mint(address(thief), 100 ether);
        usdc.mint(address(distributor), 100 ether);
        weth.transfer(address(relayer), 100 ether);
        weth.transfer(address(safe), 10 ether);
        thief.approve(usdc, address(vault));
    }

    /// @dev All of the runner's WETH into the thief.
    function stolenSwap() private view returns (bytes memory) {
        return
            Steps.pack(
                Steps.callPaid(
                    address(thief),
                    address(weth),
                    swapData(receiver, 0),
                    swapPatch(Steps.balance(address(weth)))
                )
            );
    }

    /// @dev The same from within an account, which answers no callback.
    function stolenSwapOfAccount() private view returns (bytes memory) {
        bytes memory data = abi.encodeCall(
            CallbackPayer.callAndPay,
            (address(thief), address(weth), swapData(receiver, 1 ether))
        );
        return
            Steps.pack(
                Steps.transfer(address(weth), address(payer), Steps.literal(1 ether)),
                Steps.call(address(payer), data)
            );
    }

    function stolenOrder(uint256 minimum) private view returns (Order memory) {
        return makeOrder(address(weth), 1 ether, address(usdc), minimum, stolenSwap());
    }

    function expectNothingCounts() private {
        vm.expectRevert(abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), 1 ether, 0));
    }

    /// @dev The vault is credited to the thief, although its balance grew by what the order wants.
    function test_depositOfAThiefForItselfIsNoOutput() public {
        receiver = address(vault);
        thief.arm(address(vault), abi.encodeCall(PooledVault.deposit, (1 ether)));
        Order memory order = stolenOrder(1 ether);
        vm.prank(user);
        expectNothingCounts();
        router.execute(order);

        vm.prank(user);
        expectNothingCounts();
        router.executeLegacy(toLegacy(order));
    }

    function test_claimOfWhatTheReceiverIsOwedIsNoOutput() public {
        distributor.owe(receiver, 1 ether);
        thief.arm(address(distributor), abi.encodeCall(Distributor.claim, (receiver)));
        Order memory order = stolenOrder(1 ether);
        vm.prank(user);
        expectNothingCounts();
        router.execute(order);
    }

    function test_fillOfAnothersDeliveryIsNoOutput() public {
        // The receiver waits for a delivery that any relayer may fill; the thief is the one who does.
        usdc.mint(address(pool), 10 ether);
        Order memory awaited = makeOrder(address(weth), 2 ether, address(usdc), 1, Steps.pack(poolSwap(receiver)));
        awaited.paidBySteps = true;
        bytes memory message = deliveryMessage(awaited, receiver, 0, 0);
        thief.arm(address(relayer), abi.encodeCall(Relayer.fill, (destination, weth, 2 ether, message)));
        Order memory order = stolenOrder(1 ether);
        vm.prank(user);
        expectNothingCounts();
        router.execute(order);
    }

    function test_claimIsNoOutputOfADelivery() public {
        distributor.owe(receiver, 1 ether);
        thief.arm(address(distributor), abi.encodeCall(Distributor.claim, (receiver)));
        address fallbackReceiver = address(0xfa11);
        bytes memory message = deliveryMessage(stolenOrder(1 ether), fallbackReceiver, 0, 0);
        relayer.fill(destination, weth, 1 ether, message);
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "what came back");
        assertEq(weth.balanceOf(address(thief)), 0, "what the thief kept");
    }

    function test_claimIsNoOutputOfAnAccountThatPaysAnother() public {
        distributor.owe(receiver, 2 ether);
        thief.arm(address(distributor), abi.encodeCall(Distributor.claim, (receiver)));
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1 ether, stolenSwapOfAccount());
        bytes memory data = abi.encodeCall(Delegate.execute, (order));
        expectNothingCounts();
        safe.delegate(address(delegate), data);
        data = abi.encodeCall(Delegate.executeLegacy, (toLegacy(order)));
        expectNothingCounts();
        safe.delegate(address(delegate), data);

        vm.prank(user);
        expectNothingCounts();
        factory.deployAndRun(order);
    }

    /// @dev A condition of use: what an account gains itself cannot be told from what others pay it.
    function test_claimForTheAccountItselfCountsAsItsGain() public {
        receiver = address(safe);
        distributor.owe(receiver, 1 ether);
        thief.arm(address(distributor), abi.encodeCall(Distributor.claim, (receiver)));
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1 ether, stolenSwapOfAccount());
        safe.delegate(address(delegate), abi.encodeCall(Delegate.execute, (order)));
        assertEq(weth.balanceOf(address(thief)), 1 ether, "what the thief took");
    }

    /// @dev A condition of use: such orders are for pools that run nobody's code but their protocol's.
    function test_paidByStepsTrustsEveryPool() public {
        distributor.owe(receiver, 1 ether);
        thief.arm(address(distributor), abi.encodeCall(Distributor.claim, (receiver)));
        Order memory order = stolenOrder(1 ether);
        order.paidBySteps = true;
        execute(order);
        assertEq(weth.balanceOf(address(thief)), 1 ether, "what the thief took");
    }

    function test_giftsDuringAnHonestOrderAreNotCounted() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, hex"");
        distributor.owe(receiver, 5 ether);
        order.steps = Steps.pack(
            Steps.call(address(distributor), abi.encodeCall(Distributor.claim, (receiver))),
            poolSwap(router.executorOf(user))
        );
        assertEq(execute(order)[0], swapOutput(1 ether), "what the order gave");
        assertEq(usdc.balanceOf(receiver), 5 ether + swapOutput(1 ether), "what the receiver has");
    }

    function test_taxedOutputCountsNetOfTheTax() public {
        TaxedToken taxed = new TaxedToken();
        address executor = router.executorOf(user);
        taxed.mint(executor, 100 ether);
        Order memory order = makeOrder(NATIVE, 0, address(taxed), 99 ether, hex"00");
        assertEq(execute(order)[0], 99 ether, "what arrived");
        taxed.mint(executor, 100 ether);
        order.outputs[0].minimum = 99 ether + 1;
        vm.prank(user);
        vm.expectRevert(
            abi.encodeWithSelector(InsufficientOutput.selector, address(taxed), 99 ether + 1, 99 ether)
        );
        router.execute(order);
    }

    function test_nativeOutputIsPaidByTheExecutor() public {
        bytes memory unwrap = Steps.call(
            address(weth),
            abi.encodeWithSignature("withdraw(uint256)", 0),
            Steps.patch(4, Steps.balance(address(weth)))
        );
        Order memory order = makeOrder(address(weth), 1 ether, NATIVE, 1 ether, Steps.pack(unwrap));
        assertEq(execute(order)[0], 1 ether, "what the receiver gained");
        assertNothingLeft(user);
    }
}
