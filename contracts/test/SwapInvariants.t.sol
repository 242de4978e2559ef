// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Steps} from "./Base.sol";
import {Pack, SwapBase, SwapHead} from "./SwapBase.sol";
import {PoolManager} from "./mocks/PoolManager.sol";
import {HookedToken, MockToken} from "./mocks/Tokens.sol";
import {Trickster} from "./mocks/Trickster.sol";
import {V2LikePair, V3LikePool} from "./mocks/Venues.sol";

/// @dev Orders of three senders, honest and hostile, and strangers in between; looks at every balance after each.
contract SwapActor is SwapBase {
    uint256 private constant LONGEST = 4;

    address[3] public senders = [address(0x111), address(0x222), address(0x333)];
    Trickster private trickster;
    HookedToken private hook = new HookedToken();
    V2LikePair private hookPair;
    mapping(uint256 kind => uint256) public succeeded;
    mapping(uint256 kind => uint256) public refused;
    address[3] private executors;

    constructor() {
        setUp();
        trickster = new Trickster(address(router), senders);
        hookPair = new V2LikePair(hook, usdc);
        hook.mint(address(hookPair), 100 ether);
        usdc.mint(address(hookPair), 100 ether);
        hookPair.sync();
        for (uint256 i = 0; i < senders.length; ++i) {
            fund(senders[i]);
            executors[i] = router.executorOf(senders[i]);
            hook.mint(senders[i], 100 ether);
            vm.prank(senders[i]);
            hook.approve(address(router), type(uint256).max);
            for (uint256 j = 2; j < TOKENS; ++j) {
                MockToken(tokens[j]).mint(senders[i], 100 ether);
                vm.prank(senders[i]);
                MockToken(tokens[j]).approve(address(router), type(uint256).max);
            }
        }
        for (uint256 j = 0; j < TOKENS; ++j) give(tokens[j], address(trickster), 200 ether);
    }

    /// @dev One to four hops through honest pools, with and without ether, fee, receiver and minimum.
    function swapHonestly(uint256 who, uint256 mix, uint96 amount) external {
        (uint8[] memory families, address[] memory path) = route(mix);
        (SwapHead memory head, uint256 value) = makeHead(mix >> 64, amount, path);
        uint256 share = (mix >> 128) % 10_000;
        bytes memory legs = leg(families, path);
        if (share % 3 == 1) legs = abi.encodePacked(Pack.shared(legs, uint16(share)), legs);
        send(0, who, value, head, Pack.order(head, legs));
    }

    /// @dev One of the hops is the trickster's.
    function swapWithHostilePool(uint256 who, uint256 mix, uint96 amount, uint256 seed) external {
        (uint8[] memory families, address[] memory path) = route(mix);
        (SwapHead memory head, uint256 value) = makeHead(mix >> 64, amount, path);
        uint256 place = seed % families.length;
        trickster.arm(ERC20(path[place]), ERC20(path[place + 1]), seed >> 8);
        send(1, who, value, head, Pack.order(head, hostileLeg(families, path, place)));
    }

    /**
     * A good order in which a word is replaced by one that means something, or by any. Never by WETH, and without a
     * fee: ether that the sender has paid to WETH itself comes back to the payer as WETH, and that is the Router.
     */
    function swapTampered(uint256 who, uint256 mix, uint96 amount, uint256 place, uint256 word) external {
        (uint8[] memory families, address[] memory path) = route(mix);
        (SwapHead memory head, uint256 value) = makeHead((mix >> 64) & ~uint256(2), amount, path);
        bytes memory order = Pack.order(head, leg(families, path));
        trickster.arm(weth, usdc, word);
        address[6] memory known = [senders[0], senders[1], tokens[2], address(usdc), address(trickster), NATIVE];
        (bytes32 with, uint256 size) = (bytes32(word), 1 + (word % 3));
        if (word % 2 == 0) (with, size) = (bytes32(bytes20(known[(word >> 1) % known.length])), 20);
        place = 4 + (place % (order.length - 4));
        for (uint256 i = 0; i < size && place + i < order.length; ++i) order[place + i] = with[i];
        // What the order asks for is not known any more.
        head.tokenOut = address(0);
        send(2, who, value, head, order);
    }

    /// @dev The token calls into the Router while it is paid.
    function swapHookedToken(uint256 who, uint256 mix, uint96 amount, bytes calldata data) external {
        (, address[] memory path) = route(mix);
        (SwapHead memory head, ) = makeHead(mix >> 64, amount, path);
        (head.flags, head.amountIn, head.tokenIn, head.tokenOut) = (0, amount % 1e15, address(hook), address(usdc));
        bytes memory words = abi.encode(hook, senders[((who % 3) + 1) % 3], head.amountIn);
        if (mix % 3 == 0) words = data;
        hook.arm(address(router), abi.encodeWithSignature("anyName(int256,int256,bytes)", head.amountIn, -1, words));
        if (mix % 3 == 1) hook.arm(address(router), abi.encodeWithSignature("unlockCallback(bytes)", words));
        bytes memory hop = Pack.v2(address(hookPair), address(hook) < address(usdc), PAIR_FEE);
        send(3, who, 0, head, Pack.order(head, hop));
        assertTrue(!hook.called() || !hook.succeeded(), "the hook got into the Router");
    }

    /// @dev As any order: its steps run in the sender's Executor.
    function execute(uint256 who, uint96 amount, uint16 bps, bool direct, uint96 minimum) external {
        address sender = senders[who % 3];
        bytes memory step = Steps.callPaid(
            address(pool),
            address(weth),
            swapData(direct ? receiver : router.executorOf(sender), 0),
            swapPatch(Steps.balance(address(weth), bps % 10_001))
        );
        Order memory order = makeOrder(address(weth), amount % 1e15, address(usdc), minimum % 2e15, Steps.pack(step));
        order.refundReceiver = sender;
        order.inputs[0].fee = order.inputs[0].amount / 100;
        uint256[3][TOKENS + 2] memory held = look();
        vm.prank(sender);
        try router.execute(order) {
            ++succeeded[4];
        } catch {
            ++refused[4];
        }
        check(who % 3, held);
    }

    /// @dev A stranger's callback, by any name, naming a sender as the payer, or with any bytes.
    function callBack(uint256 who, uint256 amount, bytes calldata data) external {
        bytes[4] memory calls;
        calls[0] = data;
        bytes memory words = abi.encode(weth, senders[who % 3], amount);
        calls[1] = abi.encodeWithSignature("anyName(int256,int256,bytes)", amount, -1, words);
        calls[2] = abi.encodeWithSignature("unlockCallback(bytes)", data);
        calls[3] = abi.encodeWithSignature("unlockCallback(bytes)", abi.encodePacked(words, words, data));
        uint256[3][TOKENS + 2] memory held = look();
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.prank(stranger);
            (bool ok, ) = address(router).call(calls[i]);
            if (ok) ++succeeded[5];
            else ++refused[5];
        }
        check(senders.length, held);
    }

    function route(uint256 mix) private view returns (uint8[] memory families, address[] memory path) {
        uint256 hops = 1 + (mix % LONGEST);
        families = new uint8[](hops);
        path = new address[](hops + 1);
        uint256 first = (mix >> 8) % TOKENS;
        for (uint256 i = 0; i <= hops; ++i) {
            path[i] = tokens[(first + i) % TOKENS];
            if (i < hops) families[i] = uint8((mix >> (16 + 2 * i)) % 4);
        }
    }

    function makeHead(
        uint256 mix,
        uint96 amount,
        address[] memory path
    ) private view returns (SwapHead memory head, uint256 value) {
        (head.amountIn, head.tokenIn, head.tokenOut) = (amount % 1e15, path[0], path[path.length - 1]);
        head.minimum = uint128((uint256(head.amountIn) * ((mix >> 8) % 100)) / 100);
        if (mix & 1 != 0) head.receiver = receiver;
        if (mix & 2 != 0) (head.feeReceiver, head.fee) = (feeReceiver, head.amountIn / 100);
        if (mix & 4 != 0) head.deadline = uint32(block.timestamp);
        if (mix & 8 != 0) (head.accountId, head.referralCode) = ("account", "ref");
        if (mix & 16 != 0 && head.tokenIn == address(weth)) (head.flags, value) = (Pack.WRAP, head.amountIn);
        if (mix & 32 != 0 && head.tokenOut == address(weth)) head.flags |= Pack.UNWRAP;
    }

    function hostileLeg(
        uint8[] memory families,
        address[] memory path,
        uint256 place
    ) private returns (bytes memory packed) {
        (address a, address b) = (path[place], path[place + 1]);
        (V2LikePair pair, V3LikePool v3, PoolManager honest) = (pairs[a][b], pools[a][b], manager);
        (pairs[a][b], pools[a][b]) = (V2LikePair(address(trickster)), V3LikePool(address(trickster)));
        if (families[place] == Pack.V4) manager = PoolManager(payable(trickster));
        packed = leg(families, path);
        (pairs[a][b], pools[a][b], manager) = (pair, v3, honest);
    }

    function send(uint256 kind, uint256 who, uint256 value, SwapHead memory head, bytes memory order) private {
        who %= senders.length;
        address to = head.receiver == address(0) ? senders[who] : head.receiver;
        uint256[3][TOKENS + 2] memory held = look();
        bool isEther = head.flags & Pack.UNWRAP != 0;
        vm.deal(senders[who], senders[who].balance + value);
        uint256 before = isEther ? to.balance - (to == receiver ? 0 : value) : balance(head.tokenOut, to);
        vm.prank(senders[who]);
        (bool ok, ) = address(router).call{value: value}(order);
        if (ok) ++succeeded[kind];
        else ++refused[kind];
        if (ok && head.tokenOut != address(0)) {
            uint256 gained = (isEther ? to.balance : balance(head.tokenOut, to)) - before;
            assertTrue(gained >= head.minimum, "less than the minimum");
        }
        check(who, held);
    }

    function balance(address token, address owner) private view returns (uint256) {
        return token == address(0) ? 0 : ERC20(token).balanceOf(owner);
    }

    /// @return held Tokens, then the hooked token, then ether, of each sender.
    function look() private view returns (uint256[3][TOKENS + 2] memory held) {
        for (uint256 i = 0; i < senders.length; ++i) {
            for (uint256 j = 0; j < TOKENS; ++j) held[j][i] = ERC20(tokens[j]).balanceOf(senders[i]);
            held[TOKENS][i] = hook.balanceOf(senders[i]);
            held[TOKENS + 1][i] = senders[i].balance;
        }
    }

    /// @dev Nobody but the sender has less than before, and nothing stays behind.
    function check(uint256 who, uint256[3][TOKENS + 2] memory held) private view {
        for (uint256 i = 0; i < senders.length; ++i) {
            for (uint256 j = 0; j < TOKENS; ++j) {
                ERC20 token = ERC20(tokens[j]);
                assertTrue(i == who || token.balanceOf(senders[i]) >= held[j][i], "another sender's token");
                assertEq(token.balanceOf(executors[i]), 0, "a token left in an Executor");
            }
            assertTrue(i == who || hook.balanceOf(senders[i]) >= held[TOKENS][i], "another sender's hooked token");
            assertTrue(i == who || senders[i].balance >= held[TOKENS + 1][i], "another sender's ether");
            assertEq(executors[i].balance, 0, "ether left in an Executor");
        }
        assertEq(hook.balanceOf(address(router)), 0, "a hooked token left in the Router");
        assertRouterEmpty();
        assertEq(trickster.breaches(), 0, "the Router was open in the middle of an order");
    }
}

contract SwapInvariantsTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    SwapActor private actor;

    function setUp() public {
        actor = new SwapActor();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(actor);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0].addr = address(actor);
        targets[0].selectors = new bytes4[](6);
        targets[0].selectors[0] = SwapActor.swapHonestly.selector;
        targets[0].selectors[1] = SwapActor.swapWithHostilePool.selector;
        targets[0].selectors[2] = SwapActor.swapTampered.selector;
        targets[0].selectors[3] = SwapActor.swapHookedToken.selector;
        targets[0].selectors[4] = SwapActor.execute.selector;
        targets[0].selectors[5] = SwapActor.callBack.selector;
    }

    /// @dev The actor looks after each of its calls, and reverts.
    /// forge-config: default.invariant.fail-on-revert = true
    /// forge-config: campaign.invariant.fail-on-revert = true
    function invariant_onlyTheSendersFundsMoveAndNothingStays() external view {
        require(actor.succeeded(5) == 0, "a stranger's callback was believed");
    }

    /// @dev Some orders are carried out in every run.
    function afterInvariant() external view {
        require(actor.succeeded(0) + actor.succeeded(1) + actor.succeeded(3) + actor.succeeded(4) > 0, "no order");
    }
}
